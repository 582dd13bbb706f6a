package equilag.broker;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.zip.Deflater;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Plans in their form, written anew here: what is read is not what wrote it. */
final class PlanWriter {
    private PlanWriter() {
    }

    /** A random plan that fits the workers of the group: each partition's worker. */
    static int[] anyOwners(Group group, Random random) {
        int[] owners = new int[group.partitions()];
        for (int topic = 0; topic < group.topics.length; topic++) {
            for (int at = group.first[topic]; at < group.first[topic + 1]; at++) {
                do {
                    owners[at] = random.nextInt(group.workers.length);
                } while (!group.subscribed(owners[at], topic));
            }
        }
        return owners;
    }

    static List<String> pieces(Group group, int[] owners, long number, int pieces, String key) {
        byte[] body = deflated(body(group, owners));
        byte[] signed = ByteBuffer.allocate(10 + body.length)
            .put((byte) 1).putLong(number).put((byte) pieces).put(body).array();
        byte[] tag = tag(signed, key);
        List<String> texts = new ArrayList<>();
        for (int piece = 0; piece < pieces; piece++) {
            int from = body.length * piece / pieces;
            int to = body.length * (piece + 1) / pieces;
            texts.add(text(ByteBuffer.allocate(43 + to - from)
                .put(signed, 0, 10).put(tag).put((byte) piece).put(body, from, to - from).array()));
        }
        return texts;
    }

    static String text(byte[] piece) {
        return "equilag:" + Base64.getUrlEncoder().withoutPadding().encodeToString(piece);
    }

    static byte[] bytes(String piece) {
        return Base64.getUrlDecoder().decode(piece.substring("equilag:".length()));
    }

    private static byte[] body(Group group, int[] owners) {
        ByteArrayOutputStream members = new ByteArrayOutputStream();
        for (String worker : group.workers) {
            byte[] id = worker.getBytes(UTF_8);
            members.writeBytes(ByteBuffer.allocate(4).putInt(id.length).array());
            members.writeBytes(id);
        }
        ByteBuffer topics = ByteBuffer.allocate(20 * group.topics.length);
        for (int at = 0; at < group.topics.length; at++) {
            topics.putLong(group.topics[at].getMostSignificantBits());
            topics.putLong(group.topics[at].getLeastSignificantBits());
            topics.putInt(group.first[at + 1] - group.first[at]);
        }
        ByteBuffer body = ByteBuffer.allocate(32 + 2 * owners.length);
        body.put(sha(members.toByteArray()), 0, 16).put(sha(topics.array()), 0, 16);
        for (int owner : owners) {
            body.put((byte) owner);
        }
        for (int owner : owners) {
            body.put((byte) (owner >> 8));
        }
        return body.array();
    }

    private static byte[] deflated(byte[] body) {
        Deflater deflater = new Deflater();
        deflater.setInput(body);
        deflater.finish();
        byte[] room = new byte[2 * body.length + 100];
        byte[] made = Arrays.copyOf(room, deflater.deflate(room));
        System.arraycopy(room, 0, made, 0, made.length);
        deflater.end();
        return made;
    }

    private static byte[] tag(byte[] signed, String key) {
        if (key == null) {
            return sha(signed);
        }
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key.getBytes(UTF_8), "HmacSHA256"));
            return mac.doFinal(signed);
        } catch (GeneralSecurityException error) {
            throw new AssertionError(error);
        }
    }

    private static byte[] sha(byte[] data) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(data);
        } catch (GeneralSecurityException error) {
            throw new AssertionError(error);
        }
    }
}
