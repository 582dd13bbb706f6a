package equilag.tests;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Members of a group, one thread each. Arguments: how many, topics (separated by commas, or a
 * pattern after "~"), and settings as key=value. Each event is a line on standard output: milliseconds,
 * member, what happened, partitions. Ends when standard input does.
 */
public final class Members {
    private Members() {}

    public static void main(String[] args) throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < Integer.parseInt(args[0]); number++) {
            String name = "java-" + number;
            Properties settings = settings(args, name);
            Thread thread = new Thread(() -> member(name, args[1], settings, stop), name);
            thread.start();
            threads.add(thread);
        }
        try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in))) {
            while (input.readLine() != null) {
                // Only the end matters.
            }
        }
        stop.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static Properties settings(String[] args, String name) {
        Properties settings = new Properties();
        settings.put("client.id", name);
        for (int at = 2; at < args.length; at++) {
            String[] pair = args[at].split("=", 2);
            settings.put(pair[0], pair[1].replace("{name}", name));
        }
        return settings;
    }

    private static void member(String name, String topics, Properties settings, AtomicBoolean stop) {
        ByteArrayDeserializer bytes = new ByteArrayDeserializer();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings, bytes, bytes)) {
            Told told = new Told(name);
            if (topics.startsWith("~")) {
                consumer.subscribe(Pattern.compile(topics.substring(1)), told);
            } else {
                consumer.subscribe(List.of(topics.split(",")), told);
            }
            while (!stop.get()) {
                consumer.poll(Duration.ofMillis(100));
            }
        } catch (RuntimeException error) {
            say(name, "failed", error.toString().replaceAll("\\s+", "_"));
        }
        say(name, "closed", "");
    }

    private static synchronized void say(String name, String what, String partitions) {
        System.out.println(System.currentTimeMillis() + " " + name + " " + what + " " + partitions);
        System.out.flush();
    }

    private record Told(String name) implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            say(name, "assign", listed(partitions));
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            say(name, "revoke", listed(partitions));
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            say(name, "lost", listed(partitions));
        }

        private static String listed(Collection<TopicPartition> partitions) {
            return partitions.stream().map(TopicPartition::toString).sorted()
                    .collect(Collectors.joining(","));
        }
    }
}
