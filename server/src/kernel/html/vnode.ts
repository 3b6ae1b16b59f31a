/**
 * Virtual nodes, rendered as HTML by the server and as DOM by the browser. Raw HTML cannot be expressed, so
 * data can never become HTML.
 */
export interface VNode {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string | true>>;
  readonly children: readonly Child[];
}

export type Child = VNode | string;

type Attribute = string | number | boolean | undefined;
type ChildInput = Child | false | undefined | readonly (Child | false | undefined)[];

/** Creates an element. Attributes and children that are false or undefined are omitted. */
export function h(
  tag: string,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: readonly ChildInput[]
): VNode {
  const present: Record<string, string | true> = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    present[name] = value === true ? true : String(value);
  }
  const flat = children.flat().filter((child) => child !== undefined && child !== false);
  return { tag, attributes: present, children: flat.filter((child) => child !== "") };
}
