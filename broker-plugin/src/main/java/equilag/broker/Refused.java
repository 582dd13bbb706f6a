package equilag.broker;

/** A plan that is not carried out; the message says why. */
final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    Refused(String reason) {
        super(reason, null, false, false);
    }
}
