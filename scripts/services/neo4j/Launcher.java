import java.nio.file.Path;
import java.util.Map;
import org.neo4j.configuration.GraphDatabaseSettings;
import org.neo4j.configuration.connectors.BoltConnector;
import org.neo4j.configuration.connectors.HttpConnector;
import org.neo4j.configuration.helpers.SocketAddress;
import org.neo4j.dbms.api.DatabaseManagementService;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;
import org.neo4j.io.ByteUnit;

/**
 * One Neo4j in this process, which speaks Bolt on 127.0.0.1 until the process ends. Arguments: port, folder, which keeps its data.
 * NEO4J_PASSWORD is the password to give to the user neo4j; a folder that was used before has one.
 */
public class Launcher {
  public static void main(String[] args) {
    SocketAddress address = new SocketAddress("127.0.0.1", Integer.parseInt(args[0]));
    DatabaseManagementService service = new DatabaseManagementServiceBuilder(Path.of(args[1]))
        .setConfig(BoltConnector.enabled, true)
        .setConfig(BoltConnector.listen_address, address)
        .setConfig(BoltConnector.advertised_address, address)
        .setConfig(HttpConnector.enabled, false)
        .setConfig(GraphDatabaseSettings.auth_enabled, true)
        .setConfig(GraphDatabaseSettings.pagecache_memory, ByteUnit.mebiBytes(32))
        .build();
    try {
      String password = System.getenv("NEO4J_PASSWORD");
      if (password != null) {
        service.database("system").executeTransactionally(
            "ALTER USER neo4j SET PASSWORD $password CHANGE NOT REQUIRED", Map.of("password", password));
      }
      System.out.println("READY");
    } catch (RuntimeException failure) {
      failure.printStackTrace();
      System.exit(1);
    }
  }
}
