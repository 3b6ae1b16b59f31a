/**
 * Layout components: stacks, rows, grids and splits. Gaps are steps of the design tokens. All HTML attributes are
 * passed through.
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
  /** Takes the remaining space, and may shrink below its content's size. */
  readonly isFilling?: boolean;
  /** Lines between the children. */
  readonly hasLines?: boolean;
}

/** A vertical layout. */
export function Stack({ as: Box = "div", gap = 4, pad, ...rest }: BoxProps<Flow>) {
  return <Box data-stack="" data-gap={gap} data-pad={pad} {...flowOf(rest)} />;
}

/** A horizontal layout, vertically centred. */
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

/** A single column, or multiple columns with a minimum width of 130, 160 or 260 pixels. */
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
  /** Truncated with an ellipsis, broken anywhere, or with preserved line breaks. */
  readonly flow?: "cut" | "break" | "kept";
}

/** A text with size and tone. */
export function Text({ as: Box = "p", size, tone, weight, flow, ...rest }: TextProps) {
  return <Box data-size={size} data-tone={tone} data-weight={weight} data-flow={flow} {...rest} />;
}

/** A surface with a border. */
export function Panel({ as: Box = "div", pad = 6, gap = 4, ...rest }: BoxProps<Flow>) {
  return <Box data-panel="" data-stack="" data-gap={gap} data-pad={pad} {...flowOf(rest)} />;
}

interface SplitProps extends Omit<ComponentProps<"div">, "ref"> {
  /** The right column; on narrow screens below the main one. */
  readonly side: ReactNode;
  readonly sideLabel: string;
  readonly width?: "m" | "l";
  readonly children: ReactNode;
}

/** Two columns that scroll together: the content, and details next to it. */
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

/** A list of labels and values. */
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
