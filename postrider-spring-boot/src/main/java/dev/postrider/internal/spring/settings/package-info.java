/** The options of a relay as properties of an application. */
@NullMarked
package dev.postrider.internal.spring.settings;

import org.jspecify.annotations.NullMarked;
