import org.codelibs.opensearch.runner.OpenSearchRunner;

/** Runs a node of OpenSearch on a port, with its data in a folder: {@code java -cp … OpenSearch.java FOLDER PORT}. */
public class OpenSearch {
  public static void main(String[] arguments) throws InterruptedException {
    String modules = String.join(
        ",",
        "org.opensearch.index.reindex.ReindexPlugin",
        "org.opensearch.analysis.common.CommonAnalysisPlugin",
        "org.opensearch.index.mapper.MapperExtrasPlugin",
        "org.opensearch.transport.Netty4Plugin");
    OpenSearchRunner runner = new OpenSearchRunner();
    runner.onBuild(
        (number, settings) -> {
          settings.put("network.host", "127.0.0.1");
          settings.put("http.port", arguments[1]);
          settings.put("transport.port", "0");
          settings.put("discovery.type", "single-node");
          // A disk that is nearly full is no matter of these tests.
          settings.put("cluster.routing.allocation.disk.threshold_enabled", "false");
        });
    runner.build(
        OpenSearchRunner.newConfigs()
            .basePath(arguments[0])
            .numOfNode(1)
            .clusterName("coxswain")
            .disableESLogger()
            .moduleTypes(modules)
            .pluginTypes(""));
    Runtime.getRuntime().addShutdownHook(new Thread(() -> close(runner)));
    Thread.currentThread().join();
  }

  private static void close(OpenSearchRunner runner) {
    try {
      runner.close();
    } catch (java.io.IOException error) {
      Runtime.getRuntime().halt(1);
    }
  }
}
