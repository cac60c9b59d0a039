package dev.postrider.examples;

/** Starts a service, says which process it is, and waits to be killed. */
final class ParentThatStartsAService {
    private ParentThatStartsAService() {}

    public static void main(String[] args) throws InterruptedException {
        ServiceProcess child = ServiceProcess.ofThisClassPath("child", Waiting.class.getName());
        child.start();
        System.out.println("child " + child.pid());
        Thread.sleep(600_000);
    }

    static final class Waiting {
        private Waiting() {}

        public static void main(String[] args) throws InterruptedException {
            Thread.sleep(600_000);
        }
    }
}
