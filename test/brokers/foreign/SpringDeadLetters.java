import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaOperations;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.KafkaMessageListenerContainer;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.support.serializer.ErrorHandlingDeserializer;
import org.springframework.util.backoff.FixedBackOff;

/** A consumer as Spring's documentation sets it up, whose every message fails: arguments are the brokers and the topic. */
public class SpringDeadLetters {

    public static void main(String[] args) throws InterruptedException {
        String brokers = args[0];
        String topic = args[1];
        Map<Class<?>, KafkaOperations<?, ?>> templates = new LinkedHashMap<>();
        templates.put(byte[].class, template(brokers, ByteArraySerializer.class));
        templates.put(Object.class, template(brokers, StringSerializer.class));
        ContainerProperties properties = new ContainerProperties(topic);
        properties.setGroupId("billing");
        properties.setDeliveryAttemptHeader(true);
        properties.setMessageListener((MessageListener<String, String>) SpringDeadLetters::bill);
        KafkaMessageListenerContainer<String, String> container =
                new KafkaMessageListenerContainer<>(consumers(brokers), properties);
        FixedBackOff twiceMore = new FixedBackOff(0, 2);
        container.setCommonErrorHandler(new DefaultErrorHandler(new DeadLetterPublishingRecoverer(templates), twiceMore));
        container.start();
        Thread.currentThread().join();
    }

    private static void bill(ConsumerRecord<String, String> order) {
        if (order.value() == null) throw new IllegalArgumentException("an order that was taken back cannot be billed");
        throw new IllegalStateException("card declined for order " + order.key());
    }

    private static DefaultKafkaConsumerFactory<String, String> consumers(String brokers) {
        Map<String, Object> settings = Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, brokers,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        return new DefaultKafkaConsumerFactory<>(
                settings, new StringDeserializer(), new ErrorHandlingDeserializer<>(new OrderDeserializer()));
    }

    private static KafkaTemplate<String, ?> template(String brokers, Class<?> serializer) {
        Map<String, Object> settings = Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, brokers,
                ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, StringSerializer.class,
                ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, serializer);
        return new KafkaTemplate<>(new DefaultKafkaProducerFactory<>(settings));
    }

    private static class OrderDeserializer implements Deserializer<String> {
        @Override
        public String deserialize(String topic, byte[] bytes) {
            if (bytes == null) return null;
            if (bytes.length > 0 && bytes[0] != '{') throw new IllegalArgumentException("no JSON");
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }
}
