/**
 * Templates without external requirements: the trigger is replaced by a click, and calls go to a server of the proof.
 */
import { nameAnswer } from "./made-answer.ts";
import type { Template } from "./template.ts";

type Json = Readonly<Record<string, unknown>>;

interface TemplateNode extends Json {
  readonly name: string;
  readonly type: string;
  readonly parameters?: Json;
  readonly disabled?: boolean;
}

interface Link {
  readonly node: string;
  readonly type: string;
  readonly index: number;
}

type Links = Readonly<Record<string, { readonly main: readonly (readonly Link[])[] }>>;

/** Nodes that compute, control the flow, wait, or call an address. */
const PLAIN =
  /^n8n-nodes-base\.(?:manualTrigger|scheduleTrigger|cron|interval|start|webhook|executeWorkflowTrigger|set|code|function|functionItem|if|switch|filter|merge|splitOut|itemLists|aggregate|summarize|sort|limit|removeDuplicates|renameKeys|splitInBatches|noOp|stickyNote|dateTime|html|htmlExtract|markdown|xml|crypto|compareDatasets|httpRequest|graphql|rssFeedRead|respondToWebhook|wait|stopAndError)$/;
const TRIGGER = /(?:Trigger|\.webhook|\.cron|\.interval|\.start)$/;
/** Parts that differ in every run or depend on the installation. */
const APART =
  /getWorkflowStaticData|\$env\b|\$vars\b|\$secrets\b|\$execution\b|\$workflow\.id|require\(|"pythonCode"|helpers\.|Math\.random|randomUUID|"type":\s*"random"/;
const NODES_MIN = 4;
const NODES_MAX = 60;
/** The click that starts it. */
export const BEGIN = "Begin of the comparison";

/** The template in a form that both can run. Undefined if it needs an account, a file, or random values. */
export function toPlain(template: Template, server: string): Template | undefined {
  const nodes = template.nodes as readonly TemplateNode[];
  const working = nodes.filter(({ type }) => !type.endsWith(".stickyNote"));
  if (working.length < NODES_MIN || working.length > NODES_MAX) return undefined;
  if (APART.test(JSON.stringify(working)) || !working.every(isPlain)) return undefined;
  const triggers = working.filter(({ type }) => TRIGGER.test(type));
  const whole = toLinks(template, new Set(working.map(({ name }) => name)));
  const trigger = triggers.find(({ name }) => whole[name]?.main.flat().length) ?? triggers[0];
  const kept = working.filter((node) => node === trigger || !triggers.includes(node));
  const links = toLinks(template, new Set(kept.map(({ name }) => name)));
  if (kept.some(({ name }) => isPolling(name, links, kept))) return undefined;
  const targets = new Set(
    Object.values(links).flatMap(({ main }) => main.flat().map(({ node }) => node)),
  );
  const roots = trigger ? [trigger] : kept.filter(({ name }) => !targets.has(name));
  const begin = {
    name: BEGIN,
    type: "n8n-nodes-base.manualTrigger",
    typeVersion: 1,
    position: [0, 0],
    parameters: {},
  };
  return {
    name: template.name,
    nodes: [begin, ...kept.map((node) => toStandIn(node, { trigger, links, kept, server }))],
    connections: {
      ...links,
      [BEGIN]: { main: [roots.map(({ name }) => ({ node: name, type: "main", index: 0 }))] },
    },
  };
}

/** True if a node leads back to itself without a batch loop: with constant responses it would never end. */
function isPolling(start: string, links: Links, nodes: readonly TemplateNode[]): boolean {
  const batches = new Set(
    nodes.filter(({ type }) => type.endsWith(".splitInBatches")).map(({ name }) => name),
  );
  const seen = new Set<string>();
  const open = [start];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const { node } of links[at]?.main.flat() ?? []) {
      if (node === start && !batches.has(start)) return true;
      if (seen.has(node) || batches.has(node)) continue;
      seen.add(node);
      open.push(node);
    }
  }
  return false;
}

/** The connections between these nodes. Templates can contain invalid ones. */
function toLinks({ connections }: Template, names: ReadonlySet<string>): Links {
  const all = Object.entries(
    connections as Record<string, { readonly main?: readonly (readonly Link[] | null)[] }>,
  );
  return Object.fromEntries(
    all
      .filter(([from]) => names.has(from))
      .map(([from, { main = [] }]) => [
        from,
        { main: main.map((targets) => (targets ?? []).filter(({ node }) => names.has(node))) },
      ]),
  );
}

function isPlain({ type, parameters = {} }: TemplateNode): boolean {
  const { responseFormat, resume = "timeInterval", sendBinaryData, contentType } = parameters;
  const text = JSON.stringify(parameters);
  return (
    PLAIN.test(type) &&
    resume === "timeInterval" &&
    responseFormat !== "file" &&
    sendBinaryData !== true &&
    contentType !== "binaryData" &&
    contentType !== "multipart-form-data" &&
    !/"responseFormat":\s*"file"|"pagination":/.test(text)
  );
}

interface Place {
  readonly trigger: TemplateNode | undefined;
  readonly links: Links;
  readonly kept: readonly TemplateNode[];
  readonly server: string;
}

/** The node, or a replacement if it would access an external system. */
function toStandIn(node: TemplateNode, { trigger, links, kept, server }: Place): TemplateNode {
  const { credentials: _, webhookId: __, ...plain } = node;
  const { parameters = {} } = node;
  const made = (type: string, version: number, given: Json): TemplateNode => ({
    ...plain,
    type: `n8n-nodes-base.${type}`,
    typeVersion: version,
    parameters: given,
  });
  if (node === trigger) {
    const item = JSON.stringify(nameAnswer(kept, node).item);
    return made("set", 3.4, { mode: "raw", jsonOutput: item, options: {} });
  }
  const type = node.type.replace("n8n-nodes-base.", "");
  if (type === "respondToWebhook") return made("noOp", 1, {});
  if (type === "wait") return made("wait", 1.1, { amount: 1, unit: "seconds" });
  if (type === "httpRequest" || type === "graphql" || type === "rssFeedRead") {
    const next = links[node.name]?.main.flat() ?? [];
    const types = next.map((one) => kept.find(({ name }) => name === one.node)?.type ?? "");
    const kind = kindOf(type, types, parameters);
    const field = type === "graphql" ? "endpoint" : "url";
    const address = toOurs(parameters[field], `${server}/${kind}`, node.name);
    const { authentication: ___, nodeCredentialType: ____, ...rest } = parameters;
    return { ...plain, parameters: { ...rest, [field]: address } };
  }
  return plain;
}

function kindOf(type: string, next: readonly string[], parameters: Json): string {
  if (type === "rssFeedRead") return "feed";
  if (next.some((one) => /\.(?:html|htmlExtract)$/.test(one))) return "html";
  if (next.some((one) => one.endsWith(".xml"))) return "xml";
  return /"responseFormat":\s*"(?:text|string)"/.test(JSON.stringify(parameters)) ? "text" : "json";
}

/** The address with our host instead of the original. Its expressions are kept. */
function toOurs(url: unknown, server: string, name: string): string {
  const text = typeof url === "string" ? url : "";
  const isCode = text.startsWith("=");
  const rest = /^=?\s*https?:\/\/[^/{?\s]+(\/.*)?$/s.exec(text);
  if (rest && !/\{\{(?![^]*\}\})/.test(text))
    return `${isCode ? "=" : ""}${server}${rest[1] ?? ""}`;
  const [, code] = /^=\s*\{\{([^]*?)\}\}\s*$/.exec(text) ?? [];
  return code === undefined || code.includes("{{")
    ? `${server}/${encodeURIComponent(name)}`
    : `=${server}/asked?address={{ encodeURIComponent(${code.trim()}) }}`;
}
