package dev.postrider.examples.commerce.demo;

/** How often a product was liked, sold and viewed. */
record Numbers(long likes, long sales, long views) {
    static final Numbers NONE = new Numbers(0, 0, 0);

    Numbers plus(Numbers more) {
        return new Numbers(likes + more.likes, sales + more.sales, views + more.views);
    }
}
