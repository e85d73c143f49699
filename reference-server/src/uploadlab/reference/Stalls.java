package uploadlab.reference;

/** When the server answers nothing: the last {@code lengthNs} of every {@code everyNs} since it started. */
record Stalls(long originNs, long everyNs, long lengthNs) {
    /** Returns the time itself, or the end of the stall it falls into. */
    long after(long timeNs) {
        if (lengthNs == 0) {
            return timeNs;
        }
        long into = Math.floorMod(timeNs - originNs, everyNs);
        return into < everyNs - lengthNs ? timeNs : timeNs - into + everyNs;
    }
}
