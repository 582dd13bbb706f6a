import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import org.apache.kafka.common.message.ConsumerProtocolAssignment;
import org.apache.kafka.common.message.ConsumerProtocolSubscription;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;

/** Prints what Kafka's own classes write, for tests/adapters/kafka/golden.txt: name and hex.
 *
 *  java -cp '.cache/kafka/HASH/*' tests/support/kafka/GoldenRecords.java
 */
class GoldenRecords {
    static void print(String name, ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        System.out.println(name + " " + HexFormat.of().formatHex(copy));
    }

    static void value(String name, int version, Message message) {
        print(name + "/v" + version, MessageUtil.toVersionPrefixedByteBuffer((short) version, message));
    }

    static ConsumerProtocolSubscription subscription() {
        var owned = new ConsumerProtocolSubscription.TopicPartitionCollection();
        owned.add(new ConsumerProtocolSubscription.TopicPartition()
            .setTopic("orders").setPartitions(List.of(2, 0)));
        return new ConsumerProtocolSubscription().setTopics(List.of("orders", "größe"))
            .setUserData(ByteBuffer.wrap(new byte[] {7, 8})).setOwnedPartitions(owned)
            .setGenerationId(41).setRackId("rack-1");
    }

    static ConsumerProtocolAssignment assignment() {
        var assigned = new ConsumerProtocolAssignment.TopicPartitionCollection();
        assigned.add(new ConsumerProtocolAssignment.TopicPartition()
            .setTopic("orders").setPartitions(List.of(2, 0)));
        assigned.add(new ConsumerProtocolAssignment.TopicPartition()
            .setTopic("größe").setPartitions(List.of(1)));
        return new ConsumerProtocolAssignment().setAssignedPartitions(assigned);
    }

    public static void main(String[] args) {
        for (int v = 0; v <= 3; v++) {
            value("subscription", v, subscription());
            value("assignment", v, assignment());
        }
        value("subscription-plain", 3, new ConsumerProtocolSubscription().setTopics(List.of("orders")));
    }
}
