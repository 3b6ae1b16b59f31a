import { sweep } from "#kernel/testing/sweep.ts";

await sweep(1);
