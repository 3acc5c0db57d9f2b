export async function demo(_keep: boolean): Promise<number> {
  return 0;
}
