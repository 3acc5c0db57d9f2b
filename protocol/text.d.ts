declare module "*.md" {
  const text: string;
  export default text;
}
declare module "*.yml" {
  const text: string;
  export default text;
}
declare module "*.service" {
  const text: string;
  export default text;
}
