/** Where a file of token ranks is: in the package, or in the executable. */
declare module "*.tiktoken" {
  const path: string;
  export default path;
}
