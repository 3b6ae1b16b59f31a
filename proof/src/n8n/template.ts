/** Templates in the format of public collections. */

/** A workflow of n8n, not validated. */
export interface Template {
  readonly name?: unknown;
  readonly nodes: readonly unknown[];
  readonly connections: object;
}

const WRAPPINGS_MAX = 3;

/** The workflow in a file. Collections wrap it in one or two objects. */
export function readTemplate(text: string): Template | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  let name: unknown;
  for (let depth = 0; depth < WRAPPINGS_MAX; depth += 1) {
    const { nodes, connections, workflow, ...rest } = Object(value) as Partial<Template> & {
      readonly workflow?: unknown;
    };
    name = rest.name ?? name;
    if (Array.isArray(nodes) && nodes.length > 0 && typeof connections === "object")
      return { name, nodes, connections: connections ?? {} };
    value = workflow;
  }
  return undefined;
}

/** Nodes that need parameters. Collections omit the parameters of some nodes, whose function is then unknown. */
const WITH_PARAMETERS =
  /^(?:n8n-nodes-base\.(?:httpRequest|code|function|functionItem|if|switch|filter|splitOut|aggregate|summarize|sort|set|googleSheets|gmail|telegram|googleDrive|slack|airtable|notion|postgres|mySql|mongoDb|emailSend|discord|supabase|dataTable|extractFromFile|html|googleCalendar|googleDocs|hubspot|whatsApp|executeWorkflow|formTrigger|form|crypto|dateTime|markdown|xml|rssFeedRead|redis|jira|github|wordpress|twitter|linkedIn|facebookGraphApi|executeCommand|ssh|microsoftOutlook)|@n8n\/n8n-nodes-langchain\.(?:openAi|chainLlm|informationExtractor|textClassifier|toolWorkflow|toolHttpRequest|toolCode|outputParserStructured|googleGemini))$/;

/** True if all nodes have their parameters and all connections lead to a node. */
export function isIntact({ nodes, connections }: Template): boolean {
  const all = nodes.map((node) => Object(node) as { readonly [name: string]: unknown });
  const names = new Set(all.map(({ name }) => name));
  const isEmpty = (value: unknown): boolean =>
    typeof value !== "object" || value === null || Object.keys(value).length === 0;
  return (
    all.every(
      ({ type, parameters, disabled }) =>
        disabled === true || !WITH_PARAMETERS.test(String(type)) || !isEmpty(parameters),
    ) && Object.keys(connections).every((from) => names.has(from))
  );
}
