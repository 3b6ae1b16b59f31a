/** Templates that need nothing but a machine: what reaches outside asks a server of ours, and whatever starts them is a click. */
import type { Template } from "./template.ts";

type Json = Readonly<Record<string, unknown>>;

/** Nodes that compute, steer, or call an address. */
const PLAIN =
  /^n8n-nodes-base\.(?:manualTrigger|scheduleTrigger|cron|interval|start|webhook|set|code|function|functionItem|if|switch|filter|merge|splitOut|itemLists|aggregate|summarize|sort|limit|removeDuplicates|renameKeys|splitInBatches|noOp|stickyNote|dateTime|html|markdown|xml|crypto|compareDatasets|httpRequest)$/;
const TRIGGER = /(?:Trigger|\.webhook|\.cron|\.interval|\.start)$/;
const CODE_OF_THEIRS =
  /\$getWorkflowStaticData|\$env|\$vars|\$secrets|require\(|pythonCode|helpers\./;
const NODES_MAX = 40;

/** The template with one click to start it and calls to our server; undefined where it needs more than that. */
export function toPlain(template: Template, server: string): Template | undefined {
  const nodes = template.nodes as readonly (Json & {
    readonly name: string;
    readonly type: string;
    readonly parameters?: Json;
    readonly disabled?: boolean;
  })[];
  const text = JSON.stringify(template);
  if (CODE_OF_THEIRS.test(text)) return undefined;
  const working = nodes.filter(({ type }) => !type.endsWith(".stickyNote"));
  if (working.length < 4 || working.length > NODES_MAX) return undefined;
  if (working.some(({ type, disabled }) => disabled === true || !PLAIN.test(type)))
    return undefined;
  const triggers = working.filter(({ type }) => TRIGGER.test(type));
  if (triggers.length !== 1) return undefined;
  if (working.some(({ parameters = {} }) => isSignedIn(parameters))) return undefined;
  return {
    name: template.name,
    connections: template.connections,
    nodes: nodes.map((node) =>
      TRIGGER.test(node.type)
        ? { ...node, type: "n8n-nodes-base.manualTrigger", typeVersion: 1, parameters: {} }
        : node.type.endsWith(".httpRequest")
          ? { ...node, parameters: { ...node.parameters, url: toOurs(node, server) } }
          : node,
    ),
  };
}

const isSignedIn = ({ authentication = "none", resume, responseMode }: Json): boolean =>
  !["none", ""].includes(String(authentication)) ||
  resume !== undefined ||
  responseMode === "responseNode";

/** Of an address, what stands behind the host: our server answers by it. */
function toOurs({ name, parameters = {} }: Json, server: string): string {
  const { url } = Object(parameters) as { readonly url?: unknown };
  const path =
    /^=?https?:\/\/[^/{]+(\/[^{?]*)?/.exec(typeof url === "string" ? url : "")?.[1] ??
    `/${String(name)}`;
  return `${server}${encodeURI(path)}`;
}
