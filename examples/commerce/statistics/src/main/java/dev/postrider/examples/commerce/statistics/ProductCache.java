package dev.postrider.examples.commerce.statistics;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;

/** The products that the API has cached. */
@Component
class ProductCache {
    private final StringRedisTemplate redis;

    ProductCache(StringRedisTemplate redis) {
        this.redis = redis;
    }

    void evict(long product) {
        redis.delete("product:" + product);
    }
}
