/** Installs, before the first test, the packages that only tests need. */
import { install } from "../../scripts/install.js"

export default (): Promise<void> => install("test")
