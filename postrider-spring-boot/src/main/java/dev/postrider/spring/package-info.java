/**
 * What users of Spring name: the annotations for events of their domain and for methods that handle events, and what changes how
 * a relay is built. Everything else is {@code postrider.*} properties and beans.
 */
@NullMarked
package dev.postrider.spring;

import org.jspecify.annotations.NullMarked;
