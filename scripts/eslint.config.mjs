import effect from "@effect/eslint-plugin"
import { defineConfig } from "eslint/config"
import tseslint from "typescript-eslint"

const dprint = {
  indentWidth: 2,
  lineWidth: 120,
  semiColons: "asi",
  quoteStyle: "alwaysDouble",
  trailingCommas: "never",
  operatorPosition: "maintain",
  "arrowFunction.useParentheses": "force"
}

const restrict = (selector, message) => ({ selector, message })

const spreadPush = restrict(
  "CallExpression[callee.property.name='push'] > SpreadElement.arguments",
  "Spreading into push overflows the stack on large arrays; use concat, or a loop."
)

/** Whoever reads an alias knows the file. Where two have one name, a word goes before it: `ServerOptions` of `server/Options`. */
const alias = {
  create: (context) => ({
    ImportNamespaceSpecifier: ({ local, parent }) => {
      const [, file] = /^\..*?([^/]+?)(?:\.[a-z]+)?$/.exec(parent.source.value) ?? []
      if (file === undefined || local.name.toLowerCase() === file.toLowerCase()) return
      const name = file[0].toUpperCase() + file.slice(1)
      if (!local.name.endsWith(name)) {
        context.report({ node: local, message: `The file is ${file}: name the alias ${name}.` })
      }
    }
  })
}

export default defineConfig(
  {
    ignores: [
      "**/node_modules",
      "**/dist",
      "site/pages",
      "site/.vitepress/.temp",
      "coverage",
      "test/fixtures/prisma/client",
      "test/fixtures/rasa",
      "test/.docs-check-*",
      ".docs-run-*"
    ]
  },
  {
    files: ["**/*.{ts,tsx,mjs}"],
    extends: [tseslint.configs.recommended],
    plugins: { "@effect": effect, coxswain: { rules: { alias } } },
    rules: {
      "@effect/dprint": ["error", { config: dprint }],
      "@typescript-eslint/array-type": ["error", { default: "generic", readonly: "generic" }],
      "@typescript-eslint/ban-ts-comment": ["error", { "ts-expect-error": false }],
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "separate-type-imports" }],
      "@typescript-eslint/no-empty-object-type": "off",
      "@typescript-eslint/no-explicit-any": "off",
      "@typescript-eslint/no-import-type-side-effects": "error",
      "@typescript-eslint/no-namespace": "off",
      "@typescript-eslint/no-unused-vars": ["error", {
        argsIgnorePattern: "^_",
        varsIgnorePattern: "^_",
        caughtErrorsIgnorePattern: "^_",
        destructuredArrayIgnorePattern: "^_"
      }],
      "coxswain/alias": "error",
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-restricted-syntax": ["error", spreadPush],
      "object-shorthand": "error",
      "require-yield": "off"
    }
  },
  {
    files: ["src/**/*.{ts,tsx}"],
    rules: {
      "@typescript-eslint/no-explicit-any": "error",
      "no-console": "error",
      "no-restricted-syntax": [
        "error",
        spreadPush,
        restrict("CallExpression[callee.object.name='Date'][callee.property.name='now']", "Use Clock or DateTime."),
        restrict("NewExpression[callee.name='Date'][arguments.length=0]", "Use Clock or DateTime."),
        restrict("CallExpression[callee.object.name='Math'][callee.property.name='random']", "Use Random.")
      ]
    }
  },
  {
    files: ["src/{domain,services,pipeline}/**/*.ts", "src/layers/{server,mcp,delegates}/**/*.ts"],
    ignores: ["src/domain/fields/schema/Decode.ts"],
    rules: {
      "no-restricted-properties": [
        "error",
        ...["decodeUnknown", "decodeUnknownEither", "validate", "validateEither"].map((property) => ({
          object: "Schema",
          property,
          message: "It throws for some values that anybody may send. Use Decode."
        }))
      ]
    }
  },
  {
    files: ["src/**/*.ts"],
    ignores: ["src/layers/**", "src/cli/**", "src/page/**", "src/testing.ts"],
    rules: {
      "no-restricted-globals": ["error", "process", "Buffer", "setTimeout", "setInterval", "setImmediate", "fetch"]
    }
  },
  { files: ["src/**/*.{ts,tsx}"], rules: { complexity: ["error", 10] } },
  // In a browser there is no runtime of Effect, and so no `Clock`.
  {
    files: ["src/page/**/*.{ts,tsx}"],
    rules: { "no-restricted-syntax": ["error", spreadPush], "no-restricted-properties": "off" }
  },
  // In a component each part that may be absent counts as a branch.
  { files: ["src/page/**/*.tsx"], rules: { complexity: ["error", 15] } },
  // The rules of the offline model are branches by nature.
  {
    files: ["src/layers/offline/**/*.ts"],
    rules: { complexity: ["error", 12] }
  }
)
