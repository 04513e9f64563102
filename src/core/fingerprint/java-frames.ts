import type { FrameReader } from './frame.ts'

/** `at com.acme.Orders$Inner.lambda$find$3(Orders.java:12)`, with or without a loader and a module before it. */
export const javaFrame: FrameReader = (line) => {
  const [, type, method] = shape.exec(line) ?? []
  if (type === undefined || method === undefined) return undefined
  return { function: methodName(method), module: className(type), inApp: isApp(type) }
}

const source = String.raw`[\w$-]{1,128}\.(?:java|kt|kts|scala|groovy|clj)(?::\d+)?|Native Method|Unknown Source|<generated>|SourceFile(?::\d+)?`
const shape = new RegExp(
  String.raw`^at (?:[\w.@-]{0,128}/){0,2}([\w.$]{1,512})\.([\w$<>-]{1,256})\((?:${source})\)(?: ~?\[.{0,256}\])?$`,
)

/** Lambdas are numbered, and constructors have no name of their own. */
function methodName(method: string): string {
  return method
    .replace(/^lambda\$/, '')
    .replace(/\$\d+$/, '')
    .replace(/^null$/, 'lambda')
}

/** Without what proxies and anonymous classes append: they are numbered or hashed anew with each build. */
function className(type: string): string {
  return type.replace(/\$\$.*$/, '').replace(/(?:\$\d+)+(?=\$|$)/g, '')
}

const libraries = [
  'java jdk javax jakarta sun com.sun kotlin kotlinx scala groovy clojure reactor rx feign okhttp3 okio retrofit2 redis.clients',
  'org.springframework org.apache org.hibernate org.jboss org.eclipse org.junit org.slf4j org.postgresql org.mongodb org.aspectj',
  'org.glassfish org.jetbrains org.redisson org.yaml org.xml org.jooq org.flywaydb org.mariadb oracle net.bytebuddy net.sf ch.qos',
  'com.fasterxml com.zaxxer com.google com.mysql com.mongodb com.rabbitmq com.amazonaws com.azure com.microsoft com.netflix',
  'com.datastax com.github.benmanes com.jayway com.squareup com.ibm com.oracle io.netty io.vertx io.micrometer io.quarkus io.smallrye',
  'io.lettuce io.grpc io.opentelemetry io.confluent io.projectreactor io.reactivex io.micronaut io.nats software.amazon lombok',
]
  .join(' ')
  .split(' ')
const libraryClass = new RegExp(`^(?:${libraries.map((name) => name.replaceAll('.', String.raw`\.`)).join('|')})\\.|\\$Proxy\\d`)

function isApp(type: string): boolean {
  return !libraryClass.test(type)
}
