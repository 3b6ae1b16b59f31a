/**
 * What a page is drawn with, on the server as HTML and in the browser as DOM: plain values, whose texts
 * are texts. There is no way to say HTML in them, so that nobody's data can become any.
 */
export interface VNode {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string | true>>;
  readonly children: readonly Child[];
}

export type Child = VNode | string;

type Attribute = string | number | boolean | undefined;
type Given = Child | false | undefined | readonly (Child | false | undefined)[];

/** An element. Attributes that are false or undefined are left out, as are such children. */
export function h(
  tag: string,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: readonly Given[]
): VNode {
  const kept: Record<string, string | true> = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    kept[name] = value === true ? true : String(value);
  }
  const flat = children.flat().filter((child) => child !== undefined && child !== false);
  return { tag, attributes: kept, children: flat.filter((child) => child !== "") };
}
