/** Tests that every publisher passes, for people who write one. */
@NullMarked
package dev.postrider.contract;

import org.jspecify.annotations.NullMarked;
