export function Sla() {
  return null;
}
