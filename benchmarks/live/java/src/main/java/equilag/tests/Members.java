package equilag.tests;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.StringJoiner;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Members of a group, one thread each. Arguments: how many, topics (separated by commas, or a
 * pattern after "~"), and settings as key=value, where {name} is the member's name and {instance}
 * its instance id. Lines on standard input: "start NAME INSTANCE" starts one more member, "stop
 * NAME" closes one. Each event is a line on standard output: milliseconds, member, what happened,
 * partitions; members that commit also report what they have read, as PARTITION:FIRST:LAST. With
 * a setting work.ms=LEAST-MOST they work so long on each poll's records, with LEAST+EACH so long on
 * each record, and at least so long; they report how many milliseconds old each was. Ends when
 * standard input does.
 */
public final class Members {
    private final String topics;
    private final List<String> settings;
    /** Member to the flag that tells it to close. */
    private final Map<String, AtomicBoolean> running = new LinkedHashMap<>();

    private Members(String topics, List<String> settings) {
        this.topics = topics;
        this.settings = settings;
    }

    public static void main(String[] args) throws Exception {
        Members members = new Members(args[1], List.of(args).subList(2, args.length));
        for (int number = 0; number < Integer.parseInt(args[0]); number++) {
            members.start("java-" + number, "");
        }
        try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in))) {
            String line;
            while ((line = input.readLine()) != null) {
                String[] words = line.split(" ");
                switch (words[0]) {
                    case "start" -> members.start(words[1], words.length > 2 ? words[2] : "");
                    case "stop" -> members.running.remove(words[1]).set(true);
                    default -> throw new IllegalArgumentException(line);
                }
            }
        }
        for (AtomicBoolean stop : members.running.values()) {
            stop.set(true);
        }
    }

    private void start(String name, String instance) {
        Properties own = new Properties();
        own.put("client.id", name);
        for (String setting : settings) {
            String[] pair = setting.split("=", 2);
            own.put(pair[0], pair[1].replace("{name}", name).replace("{instance}", instance));
        }
        AtomicBoolean stop = new AtomicBoolean();
        new Thread(() -> member(name, topics, own, stop), name).start();
        running.put(name, stop);
    }

    private static void member(String name, String topics, Properties settings, AtomicBoolean stop) {
        ByteArrayDeserializer bytes = new ByteArrayDeserializer();
        String work = (String) settings.remove("work.ms");
        boolean reports = "true".equals(settings.get("enable.auto.commit"));
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings, bytes, bytes)) {
            Told told = new Told(name);
            if (topics.startsWith("~")) {
                consumer.subscribe(Pattern.compile(topics.substring(1)), told);
            } else {
                consumer.subscribe(List.of(topics.split(",")), told);
            }
            while (!stop.get()) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(100));
                if (reports && !records.isEmpty()) {
                    say(name, "read", runs(records));  // before the next poll commits them
                    if (work != null) {
                        say(name, "ages", ages(records));
                        work(work, records.count());
                    }
                }
            }
        } catch (RuntimeException error) {
            say(name, "failed", error.toString().replaceAll("\\s+", "_"));
        }
        say(name, "closed", "");
    }

    private static String runs(ConsumerRecords<byte[], byte[]> records) {
        return records.partitions().stream().map(partition -> {
            List<ConsumerRecord<byte[], byte[]>> theirs = records.records(partition);
            long last = theirs.get(theirs.size() - 1).offset();
            return partition + ":" + theirs.get(0).offset() + ":" + last;
        }).collect(Collectors.joining(","));
    }

    private static String ages(ConsumerRecords<byte[], byte[]> records) {
        long now = System.currentTimeMillis();
        StringJoiner joined = new StringJoiner(",");
        records.forEach(record -> joined.add(Long.toString(now - record.timestamp())));
        return joined.toString();
    }

    private static void work(String bounds, int records) {
        String[] words = bounds.split("[-+]");
        long least = Long.parseLong(words[0]);
        long other = Long.parseLong(words[1]);
        long ms = bounds.contains("+")
                ? Math.max(least, records * other)
                : ThreadLocalRandom.current().nextLong(least, other + 1);
        long end = System.nanoTime() + ms * 1_000_000;
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
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
