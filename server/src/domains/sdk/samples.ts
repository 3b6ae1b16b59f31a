import type { Sample } from "#kernel/testing/samples.ts";
import { artifactSamples } from "./artifacts/samples.ts";

export const samples: readonly Sample[] = [...artifactSamples];
