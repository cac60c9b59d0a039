/** Tests that every publisher passes, for those who write one. */
@NullMarked
package dev.postrider.contract;

import org.jspecify.annotations.NullMarked;
