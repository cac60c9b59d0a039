/**
 * For tests of applications: what was written to the outbox, {@link dev.postrider.spring.test.WrittenEvents}, and what would
 * be published, {@link dev.postrider.spring.test.PublishedEvents}. Both are beans of every test that has an outbox, those of slices
 * too.
 */
@NullMarked
package dev.postrider.spring.test;

import org.jspecify.annotations.NullMarked;
