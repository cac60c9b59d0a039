package dev.postrider.spring.handler;

record OrderPaid(String order, int number) {}
