import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: "./src/kernel/testing/database.ts",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    reporters: ["default"],
  },
});
