package dev.postrider.examples.commerce.api;

import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * Products as customers look at them. Here they are only put; the statistics application evicts those that are sold out. Without
 * Redis the shop goes on, a little slower.
 */
@Component
class ProductCache {
    private static final Logger log = LoggerFactory.getLogger(ProductCache.class);
    /** An eviction that comes before the product is put does nothing: no product is wrong for longer than this. */
    private static final Duration LONGEST = Duration.ofMinutes(10);

    private final StringRedisTemplate redis;
    private final JsonMapper json;

    ProductCache(StringRedisTemplate redis, JsonMapper json) {
        this.redis = redis;
        this.json = json;
    }

    Optional<Product> get(long id) {
        try {
            return Optional.ofNullable(redis.opsForValue().get(key(id)))
                    .map(document -> json.readValue(document, Product.class));
        } catch (DataAccessException e) {
            log.warn("Product {} is not read from the cache: {}", id, e.toString());
            return Optional.empty();
        }
    }

    void put(Product product) {
        try {
            redis.opsForValue().set(key(product.id()), json.writeValueAsString(product), LONGEST);
        } catch (DataAccessException e) {
            log.warn("Product {} is not cached: {}", product.id(), e.toString());
        }
    }

    private static String key(long id) {
        return "product:" + id;
    }
}
