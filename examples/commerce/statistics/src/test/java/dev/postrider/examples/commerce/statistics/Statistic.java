package dev.postrider.examples.commerce.statistics;

/** The numbers of a product. */
record Statistic(long likeCount, long salesCount, long viewCount) {
    static final Statistic NONE = new Statistic(0, 0, 0);
}
