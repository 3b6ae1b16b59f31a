/** All converters by n8n type. New tables must be added here. */
import type { Convert, NodeTable, TriggerTable } from "./conversion.ts";
import { classifierNodes } from "./models/classifier-nodes.ts";
import { mediaNodes } from "./models/media-nodes.ts";
import { modelNodes } from "./models/model-nodes.ts";
import { isApproval, sendAndWait } from "./nodes/approval-node.ts";
import { mySql, postgres } from "./nodes/data/database-node.ts";
import { vectorNodes } from "./models/vector-store.ts";
import { storeNodes } from "./nodes/data/store-nodes.ts";
import { mailboxNodes, mailboxTriggers } from "./triggers/mailbox-trigger.ts";
import { hookNodes, hookTriggers } from "./triggers/hook-trigger.ts";
import { mailFileNodes } from "./nodes/files/mail-files.ts";
import { uploadNodes } from "./nodes/files/upload-nodes.ts";
import { fileNodes } from "./nodes/file-nodes.ts";
import { flowNodes } from "./nodes/flow-nodes.ts";
import { itemNodes } from "./nodes/item-nodes.ts";
import { outsideNodes } from "./nodes/outside-nodes.ts";
import { serviceNode } from "./nodes/service-node.ts";
import { googleSheets } from "./nodes/data/sheet-node.ts";
import { dataTable } from "./nodes/data/table-node.ts";
import { smallNodes } from "./nodes/small-nodes.ts";
import { textNodes } from "./nodes/text-nodes.ts";
import { basicTriggers } from "./trigger-nodes.ts";
import { vendorTriggers } from "./vendor-triggers.ts";

const triggerTables: readonly TriggerTable[] = [
  basicTriggers,
  vendorTriggers,
  mailboxTriggers,
  hookTriggers,
];
const nodeTables: readonly NodeTable[] = [
  itemNodes,
  flowNodes,
  smallNodes,
  fileNodes,
  textNodes,
  outsideNodes,
  modelNodes,
  mediaNodes,
  classifierNodes,
  vectorNodes,
  storeNodes,
  mailboxNodes,
  hookNodes,
  mailFileNodes,
  uploadNodes,
  { googleSheets, dataTable, postgres, mySql },
];

/** The converter of a node. A type outside of the tables can be a described service. */
export function converterOf(type: string): Convert {
  const convert = findIn(nodeTables, type) ?? serviceNode;
  return (ctx) => (isApproval(ctx.node) ? sendAndWait(ctx) : convert(ctx));
}

/** The converter of a trigger; undefined if none exists. */
export function triggerConverterOf(type: string): TriggerTable[string] | undefined {
  return findIn(triggerTables, type);
}

function findIn<T>(tables: readonly Readonly<Record<string, T>>[], type: string): T | undefined {
  return tables.find((table) => Object.hasOwn(table, type))?.[type];
}
