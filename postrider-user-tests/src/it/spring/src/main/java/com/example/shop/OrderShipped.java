package com.example.shop;

/** Knows nothing of Postrider. */
public record OrderShipped(String order, String customer) {}
