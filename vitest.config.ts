import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

const src = fileURLToPath(new URL("./src", import.meta.url))

export default defineConfig({
  resolve: {
    alias: [
      { find: /^coxswain$/, replacement: `${src}/index.ts` },
      { find: /^coxswain\/(.+)$/, replacement: `${src}/$1.ts` }
    ]
  },
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/setup/engines.ts"],
    pool: "forks",
    testTimeout: 30_000,
    hookTimeout: 30_000
  }
})
