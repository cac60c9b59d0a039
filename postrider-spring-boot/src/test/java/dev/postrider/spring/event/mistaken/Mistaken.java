package dev.postrider.spring.event.mistaken;

import dev.postrider.spring.MappedEvent;

/** Its annotation has a slip of the pen. Apart, because every application that has this package refuses to start. */
@MappedEvent(type = "order.lost", aggregateType = "order", aggregateId = "ordr")
record Mistaken(String order) {}
