/** Events from topics, handled by methods of beans: what is different from other listeners of Spring Kafka. */
@NullMarked
package dev.postrider.internal.spring.listener;

import org.jspecify.annotations.NullMarked;
