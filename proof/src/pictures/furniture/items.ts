/** Configuration items and their dependencies. */
import type { Ask } from "../../faults/asker.ts";
import { made } from "./made.ts";

/** The dependencies of each item. */
const ITEMS: Readonly<Record<string, { class: string; on: readonly string[] }>> = {
  "storage-14": { class: "storage", on: [] },
  "server-195": { class: "server", on: ["storage-14"] },
  "server-208": { class: "server", on: ["storage-14"] },
  "orders-db": { class: "database", on: ["server-195"] },
  "crm-db": { class: "database", on: ["server-208"] },
  "stock-db": { class: "database", on: ["server-208"] },
  Shop: { class: "application", on: ["orders-db", "stock-db"] },
  CRM: { class: "application", on: ["crm-db"] },
  Warehouse: { class: "application", on: ["stock-db"] },
  Billing: { class: "application", on: ["orders-db", "crm-db"] },
  "vpn-gateway": { class: "network", on: [] },
  "Phones Lisbon": { class: "application", on: ["vpn-gateway"] },
  "Office Lisbon": { class: "business_service", on: ["vpn-gateway", "Phones Lisbon"] },
  "Online sales": { class: "business_service", on: ["Shop", "Billing"] },
  Deliveries: { class: "business_service", on: ["Warehouse"] },
};

/** Their ids by name. */
export async function createItems(ask: Ask): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for (const [name, { class: of, on }] of Object.entries(ITEMS)) {
    const body = {
      name,
      class: of,
      key: name.toLowerCase().replaceAll(" ", "-"),
      status: "active",
    };
    const { id } = made(await ask("POST /api/v1/cmdb/items", { body }));
    ids.set(name, id);
    for (const base of on) {
      const relationship = { from: id, to: ids.get(base), type: "depends_on" };
      made(await ask("POST /api/v1/cmdb/relationships", { body: relationship }));
    }
  }
  return ids;
}
