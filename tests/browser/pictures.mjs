// How much two screenshots differ, counted by the browser itself: no image library needed.
export async function differingShare (browser, one, other) {
  const page = await (await browser.newContext()).newPage()
  const share = await page.evaluate(async ([a, b]) => {
    const pixels = async base64 => {
      const image = new Image()
      image.src = 'data:image/png;base64,' + base64
      await image.decode()
      const canvas = new OffscreenCanvas(image.width, image.height)
      const context = canvas.getContext('2d')
      context.drawImage(image, 0, 0)
      return context.getImageData(0, 0, image.width, image.height)
    }
    const [x, y] = [await pixels(a), await pixels(b)]
    if (x.width !== y.width || x.height !== y.height) return 1
    let different = 0
    for (let i = 0; i < x.data.length; i += 4) {
      const apart = Math.abs(x.data[i] - y.data[i]) + Math.abs(x.data[i + 1] - y.data[i + 1]) + Math.abs(x.data[i + 2] - y.data[i + 2])
      if (apart > 24) ++different
    }
    return different / (x.data.length / 4)
  }, [one.toString('base64'), other.toString('base64')])
  await page.context().close()
  return share
}
