/** Installs, before the first test, the packages that only tests need. */
import { install } from "../../scripts/install.js"

export default (): Promise<void> => {
  // npm hands its configuration on: in the projects that tests make, it installs peers as it does for everybody.
  delete process.env.npm_config_legacy_peer_deps
  return install("test")
}
