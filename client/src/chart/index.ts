export * from "./draw.ts";
export * from "./figure.ts";
export * from "./format.ts";
export * from "./largest-series.ts";
export * from "./picture.ts";
