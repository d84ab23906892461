import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.h2.H2Backend;

/** Serves MongoDB's protocol on a port, with its data in a file: {@code java -cp … Mongo.java FOLDER PORT}. */
public class Mongo {
  public static void main(String[] arguments) throws InterruptedException {
    MongoServer server = new MongoServer(new H2Backend(arguments[0] + "/data.h2"));
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown));
    server.bind("127.0.0.1", Integer.parseInt(arguments[1]));
    Thread.currentThread().join();
  }
}
