import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerProtocolAssignment;
import org.apache.kafka.common.message.ConsumerProtocolSubscription;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.coordinator.group.generated.*;

/** Prints what Kafka's own classes write, for tests/adapters/kafka/golden.txt: name and hex.
 *
 *  java -cp '.cache/kafka/HASH/*' tests/support/kafka/GoldenRecords.java
 */
class GoldenRecords {
    static final Uuid ORDERS = new Uuid(0x0102030405060708L, 0x090a0b0c0d0e0f10L);

    static void print(String name, ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        System.out.println(name + " " + HexFormat.of().formatHex(copy));
    }

    static void value(String name, int version, Message message) {
        print(name + "/v" + version, MessageUtil.toVersionPrefixedByteBuffer((short) version, message));
    }

    static void key(ApiMessage message) {
        byte[] bytes = MessageUtil.toCoordinatorTypePrefixedBytes(message);
        print("key/" + message.apiKey(), ByteBuffer.wrap(bytes));
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

    static byte[] bytes(Message message) {
        ByteBuffer buffer = MessageUtil.toVersionPrefixedByteBuffer((short) 3, message);
        byte[] copy = new byte[buffer.remaining()];
        buffer.get(copy);
        return copy;
    }

    public static void main(String[] args) {
        key(new LegacyOffsetCommitKey().setGroup("g").setTopic("orders").setPartition(3));
        key(new OffsetCommitKey().setGroup("g").setTopic("orders").setPartition(3));
        key(new GroupMetadataKey().setGroup("g"));
        key(new ConsumerGroupMetadataKey().setGroupId("g"));
        key(new ConsumerGroupPartitionMetadataKey().setGroupId("g"));
        key(new ConsumerGroupMemberMetadataKey().setGroupId("g").setMemberId("m"));
        key(new ConsumerGroupTargetAssignmentMetadataKey().setGroupId("g"));
        key(new ConsumerGroupTargetAssignmentMemberKey().setGroupId("g").setMemberId("m"));
        key(new ConsumerGroupCurrentMemberAssignmentKey().setGroupId("g").setMemberId("m"));
        key(new ConsumerGroupRegularExpressionKey().setGroupId("g").setRegularExpression("or.*"));
        key(new ShareGroupMemberMetadataKey().setGroupId("g").setMemberId("m"));
        key(new ShareGroupMetadataKey().setGroupId("g"));
        key(new StreamsGroupMetadataKey().setGroupId("g"));
        key(new StreamsGroupTopologyKey().setGroupId("g"));

        value("legacy", 0, new LegacyOffsetCommitValue()
            .setOffset(1L << 40).setMetadata("né").setCommitTimestamp(1700000000123L));
        for (int v = 0; v <= 4; v++) {
            value("commit", v, new OffsetCommitValue().setOffset(1L << 40).setLeaderEpoch(9)
                .setMetadata("né").setCommitTimestamp(1700000000123L)
                .setExpireTimestamp(1800000000000L).setTopicId(ORDERS));
        }
        value("commit-plain", 4, new OffsetCommitValue().setOffset(0).setCommitTimestamp(5));
        for (int v = 0; v <= 4; v++) {
            value("group", v, new GroupMetadataValue().setProtocolType("consumer").setGeneration(42)
                .setProtocol("range").setLeader("m-1").setCurrentStateTimestamp(1700000000123L)
                .setMembers(List.of(
                    new GroupMetadataValue.MemberMetadata().setMemberId("m-1")
                        .setGroupInstanceId("static-1").setClientId("c").setClientHost("/127.0.0.1")
                        .setRebalanceTimeout(300000).setSessionTimeout(45000)
                        .setSubscription(bytes(subscription())).setAssignment(bytes(assignment())),
                    new GroupMetadataValue.MemberMetadata().setMemberId("m-2")
                        .setClientId("").setClientHost("/127.0.0.1")
                        .setRebalanceTimeout(300000).setSessionTimeout(45000)
                        .setSubscription(bytes(subscription())).setAssignment(new byte[0]))));
            value("group-empty", v, new GroupMetadataValue().setProtocolType("consumer")
                .setGeneration(43).setProtocol(null).setLeader(null)
                .setCurrentStateTimestamp(1700000000123L).setMembers(List.of()));
        }
        for (int v = 0; v <= 3; v++) {
            value("subscription", v, subscription());
            value("assignment", v, assignment());
        }
        value("subscription-plain", 3, new ConsumerProtocolSubscription().setTopics(List.of("orders")));
        value("consumer-group", 0, new ConsumerGroupMetadataValue().setEpoch(12).setMetadataHash(-99));
        value("consumer-member", 0, new ConsumerGroupMemberMetadataValue().setInstanceId("static-1")
            .setRackId("rack-1").setClientId("c").setClientHost("/127.0.0.1")
            .setSubscribedTopicNames(List.of("orders", "größe")).setSubscribedTopicRegex("or.*")
            .setRebalanceTimeoutMs(300000).setServerAssignor("uniform"));
        value("consumer-member-classic", 0, new ConsumerGroupMemberMetadataValue().setInstanceId(null)
            .setRackId(null).setClientId("c").setClientHost("/127.0.0.1")
            .setSubscribedTopicNames(List.of("orders")).setSubscribedTopicRegex(null)
            .setRebalanceTimeoutMs(300000).setServerAssignor(null)
            .setClassicMemberMetadata(new ConsumerGroupMemberMetadataValue.ClassicMemberMetadata()
                .setSessionTimeoutMs(45000).setSupportedProtocols(List.of(
                    new ConsumerGroupMemberMetadataValue.ClassicProtocol()
                        .setName("range").setMetadata(bytes(subscription()))))));
        value("current-assignment", 0, new ConsumerGroupCurrentMemberAssignmentValue()
            .setMemberEpoch(12).setPreviousMemberEpoch(11).setState((byte) 1)
            .setAssignedPartitions(List.of(
                new ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions().setTopicId(ORDERS)
                    .setPartitions(List.of(2, 0)).setAssignmentEpochs(List.of(11, 12))))
            .setPartitionsPendingRevocation(List.of(
                new ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions().setTopicId(ORDERS)
                    .setPartitions(List.of(1)))));
        value("resolved", 0, new ConsumerGroupRegularExpressionValue()
            .setTopics(List.of("orders", "größe")).setVersion(77).setTimestamp(1700000000123L));
    }
}
