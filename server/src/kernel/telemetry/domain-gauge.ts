import type { Database } from "../db/database.ts";
import { extensionPoint } from "../extension-point.ts";

/** A number about what a domain has in the database, read whenever metrics are. */
export interface DomainGauge {
  readonly name: `millrace_${string}`;
  readonly help: string;
  readonly read: (db: Database) => Promise<number>;
}

/** Where domains contribute to the metrics. */
export const DomainGaugePoint = extensionPoint<DomainGauge>("telemetry.gauges");
