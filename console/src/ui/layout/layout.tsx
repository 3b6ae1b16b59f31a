/**
 * Where things stand: below each other, in a row, in columns, beside each other. Gaps are steps of the tokens. Anything
 * that HTML knows of the element can be said, too.
 */
import "./layout.css";
import { type ComponentProps, Fragment, type ReactNode } from "react";

/** A step of `--s1` to `--s7`. */
type Step = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;
type Padding = 3 | 4 | 5 | 6 | 7;
type Tag =
  | "div"
  | "section"
  | "article"
  | "aside"
  | "header"
  | "footer"
  | "ul"
  | "ol"
  | "li"
  | "p"
  | "span";

type BoxProps<Own> = Own &
  Omit<ComponentProps<"div">, keyof Own | "ref"> & {
    readonly as?: Tag;
    readonly gap?: Step;
    readonly pad?: Padding;
    readonly children?: ReactNode;
  };

interface Flow {
  readonly align?: "start" | "baseline" | "end" | "stretch";
  readonly justify?: "between" | "end";
  /** Takes the room that is left, and may become smaller than what it holds. */
  readonly isFilling?: boolean;
  /** A line between one and the next. */
  readonly hasLines?: boolean;
}

/** Below each other. */
export function Stack({ as: Box = "div", gap = 4, pad, ...rest }: BoxProps<Flow>) {
  return <Box data-stack="" data-gap={gap} data-pad={pad} {...flowOf(rest)} />;
}

/** In a row, centred across it. */
export function Row({
  as: Box = "div",
  gap = 4,
  pad,
  wraps,
  ...rest
}: BoxProps<Flow & { readonly wraps?: boolean }>) {
  const wrap = wraps ? "" : undefined;
  return <Box data-row="" data-gap={gap} data-pad={pad} data-wrap={wrap} {...flowOf(rest)} />;
}

/** In one column, or in as many as fit: of at least 130, 160 or 260 pixels. */
export function Grid({
  as: Box = "div",
  gap = 5,
  pad,
  min,
  ...rest
}: BoxProps<Flow & { readonly min?: "s" | "m" | "l" }>) {
  return <Box data-grid="" data-gap={gap} data-pad={pad} data-min={min} {...flowOf(rest)} />;
}

function flowOf({ align, justify, isFilling, hasLines, ...rest }: Flow & object) {
  return {
    ...rest,
    "data-align": align,
    "data-justify": justify,
    "data-fill": isFilling ? "" : undefined,
    "data-lines": hasLines ? "" : undefined,
  };
}

interface TextProps extends Omit<ComponentProps<"p">, "ref"> {
  readonly as?: "p" | "span" | "div" | "strong" | "h1" | "h2" | "h3";
  readonly size?: "xs" | "s" | "l" | "xl" | "2xl";
  readonly tone?: "soft" | "muted" | "bad" | "ok";
  readonly weight?: "medium" | "bold";
  /** One line that ends in dots; words that break anywhere; lines as they were written. */
  readonly flow?: "cut" | "break" | "kept";
}

/** Words: how large, how loud. */
export function Text({ as: Box = "p", size, tone, weight, flow, ...rest }: TextProps) {
  return <Box data-size={size} data-tone={tone} data-weight={weight} data-flow={flow} {...rest} />;
}

/** A surface with a border. */
export function Panel({ as: Box = "div", pad = 6, gap = 4, ...rest }: BoxProps<Flow>) {
  return <Box data-panel="" data-stack="" data-gap={gap} data-pad={pad} {...flowOf(rest)} />;
}

interface SplitProps extends Omit<ComponentProps<"div">, "ref"> {
  /** Stands to the right; below, where there is no room. */
  readonly side: ReactNode;
  readonly sideLabel: string;
  readonly width?: "m" | "l";
  readonly children: ReactNode;
}

/** Two columns that scroll as one: what it is about, and what is known beside it. */
export function Split({ side, sideLabel, width = "m", children, ...rest }: SplitProps) {
  return (
    <div className="scroll" data-split={width} tabIndex={0} role="region" {...rest}>
      <Grid as="article" gap={7} pad={7}>
        {children}
      </Grid>
      <Grid as="aside" gap={7} pad={7} data-side="" aria-label={sideLabel}>
        {side}
      </Grid>
    </div>
  );
}

/** Names and what is known of them. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl data-facts="">
      {facts.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
