export function Services() {
  return <div className="page" />;
}
