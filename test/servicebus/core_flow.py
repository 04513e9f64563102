"""The core flow by Microsoft's SDK for Python, which shares no code with the one that the product uses.

Prints one line of JSON: what each step saw. The test that runs it says what that must be.
"""

import json
import sys
from datetime import datetime, timedelta, timezone

from azure.servicebus import ServiceBusClient, ServiceBusMessage, ServiceBusSubQueue

# Nothing takes this long unless it never comes. Seconds.
PATIENCE = 60
seen = {}


def one(receiver):
    received = receiver.receive_messages(max_message_count=1, max_wait_time=PATIENCE)
    assert received, "no message came"
    return received[0]


def text(message):
    return b"".join(message.body).decode()


with ServiceBusClient.from_connection_string(sys.argv[1]) as client:
    with client.get_queue_sender("work") as sender, client.get_queue_receiver("work") as receiver:
        sender.send_messages(ServiceBusMessage("completed", message_id="1", application_properties={"n": 7}))
        message = one(receiver)
        seen["sent and received"] = [text(message), message.message_id, message.delivery_count]
        seen["properties"] = {name.decode(): value for name, value in message.application_properties.items()}
        receiver.renew_message_lock(message)
        receiver.complete_message(message)

        sender.send_messages([ServiceBusMessage("first"), ServiceBusMessage("second")])
        message = one(receiver)
        receiver.abandon_message(message)
        message = one(receiver)
        seen["abandoned"] = [text(message), message.delivery_count]
        receiver.dead_letter_message(message, reason="PoisonMessage", error_description="It never works")
        message = one(receiver)
        seen["second of a batch"] = text(message)
        receiver.complete_message(message)

        with client.get_queue_receiver("work", sub_queue=ServiceBusSubQueue.DEAD_LETTER) as graves:
            letter = one(graves)
            seen["dead letter"] = [text(letter), letter.dead_letter_reason, letter.dead_letter_error_description]
            graves.complete_message(letter)

        at = datetime.now(timezone.utc) + timedelta(seconds=1)
        sender.schedule_messages(ServiceBusMessage("scheduled"), at)
        seen["scheduled is seen before its time"] = text(receiver.peek_messages(1)[0])
        message = one(receiver)
        seen["scheduled"] = [text(message), message.enqueued_time_utc >= at.replace(microsecond=0)]
        receiver.complete_message(message)
        seen["left"] = len(receiver.peek_messages(10, sequence_number=1))

    with client.get_queue_sender("ordered") as sender:
        sender.send_messages([ServiceBusMessage(body, session_id=body[0]) for body in ("a1", "b1", "a2")])
    with client.get_queue_receiver("ordered", session_id="a") as session:
        bodies = []
        for _ in range(2):
            message = one(session)
            bodies.append(text(message))
            session.complete_message(message)
        session.session.set_state("half way")
        seen["session"] = [bodies, session.session.get_state().decode()]

print(json.dumps(seen))
