package equilag.broker;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The outer form of a plan: pieces of text, one in the rack id of each carrier.
 *
 * <p>A piece is `equilag:` and base64url, without padding, of: version (1 byte), number of the plan
 * (8), number of pieces (1), tag (32), this piece's number from 0 (1), and its part of the deflated
 * plan. All integers are big-endian. All but the last two are the same in the pieces of one plan.
 * The tag is HMAC-SHA-256, without a key SHA-256, of the first ten bytes and the deflated plan. The
 * writer is `equilag/live/carrier/plan_form.py`.
 */
final class PlanPieces {
    /** The same in all versions: whoever has it in its rack id is a carrier. */
    static final String PREFIX = "equilag:";

    static final int VERSION = 1;
    private static final int SIGNED = 10;
    private static final int COMMON = 42;

    private PlanPieces() {
    }

    static boolean isPiece(String rack) {
        return rack.startsWith(PREFIX);
    }

    /** Returns the deflated plan. The key is null where none is set. */
    static byte[] join(List<String> pieces, byte[] key) throws Refused {
        byte[][] parts = new byte[pieces.size()][];
        byte[] common = null;
        for (String text : pieces) {
            byte[] piece = decoded(text);
            if (common == null) {
                common = Arrays.copyOf(piece, COMMON);
                checkHeader(common, pieces.size());
            }
            if (!Arrays.equals(common, 0, COMMON, piece, 0, COMMON)) {
                throw new Refused("its pieces are of different plans");
            }
            int number = Byte.toUnsignedInt(piece[COMMON]);
            if (number >= parts.length || parts[number] != null) {
                throw new Refused("a piece is there twice, and another one is missing");
            }
            parts[number] = Arrays.copyOfRange(piece, COMMON + 1, piece.length);
        }
        ByteArrayOutputStream deflated = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            deflated.writeBytes(part);
        }
        byte[] plan = deflated.toByteArray();
        if (!MessageDigest.isEqual(tag(common, plan, key), tagOf(common))) {
            throw new Refused("its checksum is wrong, or it was made with another key");
        }
        return plan;
    }

    private static byte[] decoded(String text) throws Refused {
        byte[] piece;
        try {
            piece = Base64.getUrlDecoder().decode(text.substring(PREFIX.length()));
        } catch (IllegalArgumentException error) {
            throw new Refused("a piece is not base64");
        }
        if (piece.length <= COMMON) {
            throw new Refused("a piece is cut off");
        }
        return piece;
    }

    private static void checkHeader(byte[] common, int pieces) throws Refused {
        if (common[0] != VERSION) {
            throw new Refused("its version is not " + VERSION);
        }
        if (Byte.toUnsignedInt(common[SIGNED - 1]) != pieces) {
            throw new Refused("there are more or fewer pieces than it has");
        }
    }

    private static byte[] tagOf(byte[] common) {
        return Arrays.copyOfRange(common, SIGNED, COMMON);
    }

    private static byte[] tag(byte[] common, byte[] plan, byte[] key) throws Refused {
        byte[] signed = ByteBuffer.allocate(SIGNED + plan.length)
            .put(common, 0, SIGNED).put(plan).array();
        try {
            if (key == null) {
                return MessageDigest.getInstance("SHA-256").digest(signed);
            }
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, mac.getAlgorithm()));
            return mac.doFinal(signed);
        } catch (GeneralSecurityException error) {
            throw new Refused("this JVM cannot check it");
        }
    }
}
