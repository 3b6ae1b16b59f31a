export { KpiFigure } from "./view/kpi-figure.tsx";
