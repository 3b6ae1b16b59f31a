import type { Figure } from "../figure.ts";
import { deploy } from "../workflow.ts";

const FIELDS = 30;
const PAGES = 3;
const TYPES = ["text", "textarea", "email", "number", "date", "choice", "checkbox"] as const;
const TARGET_KB = 50;
const KB = 1_000;

/** Everything a browser loads for a form of thirty fields: the page and its resources. */
export const formPage: Figure = {
  name: "form-page",
  async measure(rig, effort) {
    const product = await rig.startProduct(effort);
    const { hookPath } = await deploy(product, {
      name: "Survey",
      trigger: {
        type: "form",
        title: "Survey",
        description: "A few questions about your order. ".repeat(5),
        pages: Array.from({ length: PAGES }, (_, page) => ({
          title: `Part ${page + 1}`,
          fields: Array.from({ length: FIELDS / PAGES }, (__, n) => ({
            name: `field_${page}_${n}`,
            label: `Question number ${n}`,
            type: TYPES[n % TYPES.length],
            required: n % 2 === 0,
            help: "Whatever comes to your mind first.",
            ...(TYPES[n % TYPES.length] === "choice" && { options: ["one", "two", "three"] }),
          })),
        })),
      },
      nodes: [{ id: "note", type: "set", config: { values: { seen: true } } }],
      edges: [],
    });
    const address = `http://127.0.0.1:${product.port}`;
    const page = await read(address + hookPath);
    const named = [...page.matchAll(/(?:src|href)="([^"#]+\.(?:css|js|svg|png|woff2))[^"]*"/g)];
    let size = Buffer.byteLength(page);
    for (const [, path = ""] of named) {
      size += Buffer.byteLength(await read(new URL(path, address + hookPath).href));
    }
    return {
      ours: `${(size / KB).toFixed(1)} KB`,
      target: `≤ ${TARGET_KB} KB`,
      reached: size / KB <= TARGET_KB,
      notes: [
        `${FIELDS} fields on ${PAGES} pages, uncompressed, with ${named.length} further files`,
      ],
      values: { size },
    };
  },
};

async function read(url: string): Promise<string> {
  const reply = await fetch(url);
  if (reply.status !== 200) throw new Error(`${url} answered ${reply.status}.`);
  return reply.text();
}
