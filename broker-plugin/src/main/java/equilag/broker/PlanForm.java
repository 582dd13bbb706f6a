package equilag.broker;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * The inner form of a plan, and whether it fits a group.
 *
 * <p>Inflated (zlib) it is: digest of the members (16 bytes), digest of the topics (16), the low
 * bytes of the numbers of all partitions' workers, then the high bytes. Workers, topics and
 * partitions are in the order of {@link Group}. The digests are the first half of SHA-256 of: for
 * each worker the length of its id (4 bytes) and the id; for each topic its id (16) and the number
 * of its partitions (4). So a plan for other members, topics or sizes does not fit, and a
 * partition can be neither missing nor there twice.
 */
final class PlanForm {
    private static final int DIGEST = 16;

    private PlanForm() {
    }

    /** Returns each partition's worker. */
    static int[] owners(byte[] deflated, Group group) throws Refused {
        byte[] plan = inflated(deflated, 2 * DIGEST + Math.multiplyExact(2, group.partitions()));
        checkDigest(plan, 0, members(group), "it is for other members");
        checkDigest(plan, DIGEST, topics(group), "it is for other topics");
        int low = 2 * DIGEST;
        int high = low + group.partitions();
        int[] owners = new int[group.partitions()];
        for (int topic = 0; topic < group.topics.length; topic++) {
            for (int at = group.first[topic]; at < group.first[topic + 1]; at++) {
                int worker = (plan[low + at] & 0xff) | (plan[high + at] & 0xff) << 8;
                if (worker >= group.workers.length || !group.subscribed(worker, topic)) {
                    throw new Refused("it gives a topic to a member that is not subscribed to it");
                }
                owners[at] = worker;
            }
        }
        return owners;
    }

    /** Never makes more than `size` bytes of what somebody sent. */
    private static byte[] inflated(byte[] deflated, int size) throws Refused {
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(deflated);
            byte[] plan = new byte[size];
            int made = 0;
            while (made < size) {
                int more = inflater.inflate(plan, made, size - made);
                if (more == 0) {
                    break;
                }
                made += more;
            }
            boolean whole = made == size && inflater.inflate(new byte[1]) == 0;
            if (!whole || !inflater.finished() || inflater.getRemaining() > 0) {
                throw new Refused("it is for other members or topics, by its length");
            }
            return plan;
        } catch (DataFormatException error) {
            throw new Refused("it cannot be inflated");
        } finally {
            inflater.end();
        }
    }

    private static void checkDigest(byte[] plan, int at, MessageDigest digest, String otherwise)
        throws Refused {
        byte[] expected = Arrays.copyOf(digest.digest(), DIGEST);
        if (!Arrays.equals(plan, at, at + DIGEST, expected, 0, DIGEST)) {
            throw new Refused(otherwise);
        }
    }

    private static MessageDigest members(Group group) throws Refused {
        MessageDigest digest = sha256();
        for (String worker : group.workers) {
            byte[] id = worker.getBytes(UTF_8);
            digest.update(ByteBuffer.allocate(4).putInt(id.length).array());
            digest.update(id);
        }
        return digest;
    }

    private static MessageDigest topics(Group group) throws Refused {
        MessageDigest digest = sha256();
        for (int topic = 0; topic < group.topics.length; topic++) {
            digest.update(ByteBuffer.allocate(20)
                .putLong(group.topics[topic].getMostSignificantBits())
                .putLong(group.topics[topic].getLeastSignificantBits())
                .putInt(group.first[topic + 1] - group.first[topic])
                .array());
        }
        return digest;
    }

    private static MessageDigest sha256() throws Refused {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException error) {
            throw new Refused("this JVM cannot check it");
        }
    }
}
