/** Step 5 of 6: events handed to functions in the application, where there is no broker. */
@NullMarked
package dev.postrider.publish.handler;

import org.jspecify.annotations.NullMarked;
