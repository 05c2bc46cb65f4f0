// SPDX-License-Identifier: GPL-2.0
/*
 * A stand-in for the LED matrix of the Raspberry Pi Sense HAT, to test programs on a
 * machine without one. It is a framebuffer with the name and the limits of the real
 * one, above a board that exists only in memory.
 *
 * In debugfs, sensehat_standin/:
 *   leds    the 192 LED registers: per row 8 red, 8 green, 8 blue bytes, 0 to 31
 *   fatal_close
 *           write Y to kill the task that closes a removed matrix
 *   first_ns, written_ns, lit_ns
 *           when a program first wrote a frame that is not dark, when one last wrote a
 *           frame, and when an LED last changed: CLOCK_MONOTONIC
 *
 * When the machine ends, the kernel's log says whether the LEDs are dark.
 *
 * Write to unbind and bind in /sys/bus/platform/drivers/sensehat_standin/ to remove
 * the matrix and to add it again.
 *
 * GPL-2.0 because the kernel exports these interfaces only to GPL modules.
 */

#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/fb.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/reboot.h>
#include <linux/uaccess.h>
#include <linux/version.h>
#include <linux/vmalloc.h>

#define NAME		"sensehat_standin"
#define SIDE		8
#define FRAME_BYTES	(SIDE * SIDE * 2)
#define LED_BYTES	(SIDE * SIDE * 3)
#define GAMMA_STEPS	32
/* 192 bytes, 9 bits each with the acknowledge, on a 100 kHz bus. */
#define BUS_US		17500

#define IOCTL_GAMMA_GET		0xF100
#define IOCTL_GAMMA_SET		0xF101
#define IOCTL_GAMMA_RESET	0xF102

/* The default and the low-light table, from the documentation of sense_hat's gamma. */
static const u8 gamma_tables[][GAMMA_STEPS] = {
	{ 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7,
	  8, 9, 10, 11, 12, 14, 15, 17, 18, 20, 21, 23, 25, 27, 29, 31 },
	{ 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2,
	  3, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 10, 10 },
};

/* The LEDs are lit at power-on, and keep their state when the driver is removed. */
static DEFINE_MUTEX(board_lock);
static u8 board_leds[LED_BYTES] = { [0 ... LED_BYTES - 1] = 16 };
static bool board_fatal_close;
static u64 board_first_ns, board_written_ns, board_lit_ns;

struct matrix {
	struct fb_deferred_io defio;
	u32 palette[16];
	u8 gamma[GAMMA_STEPS];
	u8 user_gamma[GAMMA_STEPS];
	bool removed;
};

static void board_receive(const u16 *frame, const u8 *gamma)
{
	u8 leds[LED_BYTES];
	int x, y;

	for (y = 0; y < SIDE; y++) {
		u8 *row = leds + y * SIDE * 3;

		for (x = 0; x < SIDE; x++) {
			u16 pixel = frame[y * SIDE + x];

			/* The LEDs have 5 bits per colour: green's lowest is lost. */
			row[x] = gamma[pixel >> 11] & 31;
			row[SIDE + x] = gamma[pixel >> 6 & 31] & 31;
			row[2 * SIDE + x] = gamma[pixel & 31] & 31;
		}
	}
	usleep_range(BUS_US, BUS_US + 500);
	mutex_lock(&board_lock);
	if (memcmp(board_leds, leds, LED_BYTES)) {
		memcpy(board_leds, leds, LED_BYTES);
		board_lit_ns = ktime_get_ns();
	}
	mutex_unlock(&board_lock);
}

static void matrix_deferred_io(struct fb_info *info, struct list_head *pages)
{
	struct matrix *m = info->par;

	board_receive((const u16 *)info->screen_buffer, m->gamma);
}

static void matrix_touch(struct fb_info *info)
{
	schedule_delayed_work(&info->deferred_work, info->fbdefio->delay);
}

/* As in the real driver, fb_sys_write returns EFBIG and ENOSPC. */
static ssize_t matrix_write(struct fb_info *info, const char __user *buf,
			    size_t count, loff_t *pos)
{
	ssize_t n = fb_sys_write(info, buf, count, pos);

	WRITE_ONCE(board_written_ns, ktime_get_ns());
	if (!READ_ONCE(board_first_ns) && memchr_inv(info->screen_buffer, 0, FRAME_BYTES))
		WRITE_ONCE(board_first_ns, READ_ONCE(board_written_ns));
	matrix_touch(info);
	return n;
}

static void matrix_fillrect(struct fb_info *info, const struct fb_fillrect *r)
{
	sys_fillrect(info, r);
	matrix_touch(info);
}

static void matrix_copyarea(struct fb_info *info, const struct fb_copyarea *a)
{
	sys_copyarea(info, a);
	matrix_touch(info);
}

static void matrix_imageblit(struct fb_info *info, const struct fb_image *i)
{
	sys_imageblit(info, i);
	matrix_touch(info);
}

/* The console looks up its sixteen colours in the pseudo palette. */
static int matrix_setcolreg(unsigned int reg, unsigned int red,
			    unsigned int green, unsigned int blue,
			    unsigned int transp, struct fb_info *info)
{
	struct matrix *m = info->par;

	if (reg >= ARRAY_SIZE(m->palette))
		return -EINVAL;
	m->palette[reg] = red >> 11 << 11 | green >> 10 << 5 | blue >> 11;
	return 0;
}

static int matrix_ioctl(struct fb_info *info, unsigned int cmd, unsigned long arg)
{
	struct matrix *m = info->par;
	void __user *user = (void __user *)arg;

	switch (cmd) {
	case IOCTL_GAMMA_GET:
		return copy_to_user(user, m->gamma, GAMMA_STEPS) ? -EFAULT : 0;
	case IOCTL_GAMMA_SET:
		if (copy_from_user(m->user_gamma, user, GAMMA_STEPS))
			return -EFAULT;
		memcpy(m->gamma, m->user_gamma, GAMMA_STEPS);
		break;
	case IOCTL_GAMMA_RESET:
		if (arg < ARRAY_SIZE(gamma_tables))
			memcpy(m->gamma, gamma_tables[arg], GAMMA_STEPS);
		else if (arg == ARRAY_SIZE(gamma_tables))
			memcpy(m->gamma, m->user_gamma, GAMMA_STEPS);
		else
			return -EINVAL;
		break;
	default:
		return -EINVAL;
	}
	matrix_touch(info);
	return 0;
}

/*
 * The real driver frees its memory on removal, and a later close uses it: the task
 * oopses while holding the framebuffer's lock, and never returns.
 */
static int matrix_release(struct fb_info *info, int user)
{
	struct matrix *m = info->par;

	BUG_ON(user && READ_ONCE(m->removed) && READ_ONCE(board_fatal_close));
	return 0;
}

/* The last descriptor may be closed long after the matrix was removed. */
static void matrix_destroy(struct fb_info *info)
{
	fb_deferred_io_cleanup(info);
	vfree(info->screen_buffer);
	framebuffer_release(info);
}

/*
 * Without fb_blank, FBIOBLANK returns EINVAL. Without fb_compat_ioctl, a 32-bit program
 * on a 64-bit kernel gets ENOTTY for gamma. No fb_mmap: the real one does not work.
 */
static const struct fb_ops matrix_ops = {
	.owner		= THIS_MODULE,
	.fb_release	= matrix_release,
	.fb_read	= fb_sys_read,
	.fb_write	= matrix_write,
	.fb_fillrect	= matrix_fillrect,
	.fb_copyarea	= matrix_copyarea,
	.fb_imageblit	= matrix_imageblit,
	.fb_setcolreg	= matrix_setcolreg,
	.fb_ioctl	= matrix_ioctl,
	.fb_destroy	= matrix_destroy,
};

static int matrix_probe(struct platform_device *pdev)
{
	struct fb_info *info;
	struct matrix *m;
	int err = -ENOMEM;

	info = framebuffer_alloc(sizeof(*m), &pdev->dev);
	if (!info)
		return err;
	m = info->par;
	m->defio.delay = msecs_to_jiffies(10);
	m->defio.deferred_io = matrix_deferred_io;
	memcpy(m->gamma, gamma_tables[0], GAMMA_STEPS);
	memcpy(m->user_gamma, gamma_tables[0], GAMMA_STEPS);

	info->screen_buffer = vzalloc(FRAME_BYTES);
	if (!info->screen_buffer)
		goto release;
	info->fbops = &matrix_ops;
	info->fbdefio = &m->defio;
	info->pseudo_palette = m->palette;
	info->fix = (struct fb_fix_screeninfo) {
		.id		= "RPi-Sense FB",
		.smem_len	= FRAME_BYTES,
		.type		= FB_TYPE_PACKED_PIXELS,
		.visual		= FB_VISUAL_TRUECOLOR,
		.line_length	= SIDE * 2,
		.accel		= FB_ACCEL_NONE,
	};
	info->var = (struct fb_var_screeninfo) {
		.xres		= SIDE,
		.yres		= SIDE,
		.xres_virtual	= SIDE,
		.yres_virtual	= SIDE,
		.bits_per_pixel	= 16,
		.red		= { .offset = 11, .length = 5 },
		.green		= { .offset = 5, .length = 6 },
		.blue		= { .offset = 0, .length = 5 },
	};
	err = fb_deferred_io_init(info);
	if (err)
		goto free;
	err = register_framebuffer(info);
	if (err)
		goto cleanup;
	platform_set_drvdata(pdev, info);
	return 0;

cleanup:
	fb_deferred_io_cleanup(info);
free:
	vfree(info->screen_buffer);
release:
	framebuffer_release(info);
	return err;
}

static void matrix_unregister(struct platform_device *pdev)
{
	struct fb_info *info = platform_get_drvdata(pdev);
	struct matrix *m = info->par;

	WRITE_ONCE(m->removed, true); /* the last put frees it */
	unregister_framebuffer(info);
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
static void matrix_remove(struct platform_device *pdev)
{
	matrix_unregister(pdev);
}
#else
static int matrix_remove(struct platform_device *pdev)
{
	matrix_unregister(pdev);
	return 0;
}
#endif

static struct platform_driver matrix_driver = {
	.probe		= matrix_probe,
	.remove		= matrix_remove,
	.driver.name	= NAME,
};

/* Returns one complete frame, never parts of two. */
static ssize_t leds_read(struct file *file, char __user *buf, size_t count,
			 loff_t *pos)
{
	u8 leds[LED_BYTES];

	mutex_lock(&board_lock);
	memcpy(leds, board_leds, LED_BYTES);
	mutex_unlock(&board_lock);
	return simple_read_from_buffer(buf, count, pos, leds, LED_BYTES);
}

static const struct file_operations leds_fops = {
	.owner	= THIS_MODULE,
	.read	= leds_read,
	.llseek	= default_llseek,
};

static int at_end(struct notifier_block *nb, unsigned long action, void *data)
{
	pr_emerg(NAME ": the LEDs are %s\n",
		 memchr_inv(board_leds, 0, LED_BYTES) ? "lit" : "dark");
	return NOTIFY_DONE;
}

static struct notifier_block end = { .notifier_call = at_end };

static struct platform_device *board;
static struct dentry *debug;

static int __init standin_init(void)
{
	int err = platform_driver_register(&matrix_driver);

	if (err)
		return err;
	board = platform_device_register_simple(NAME, PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(board)) {
		platform_driver_unregister(&matrix_driver);
		return PTR_ERR(board);
	}
	register_reboot_notifier(&end);
	debug = debugfs_create_dir(NAME, NULL);
	debugfs_create_file("leds", 0400, debug, NULL, &leds_fops);
	debugfs_create_bool("fatal_close", 0600, debug, &board_fatal_close);
	debugfs_create_u64("first_ns", 0400, debug, &board_first_ns);
	debugfs_create_u64("written_ns", 0400, debug, &board_written_ns);
	debugfs_create_u64("lit_ns", 0400, debug, &board_lit_ns);
	return 0;
}

static void __exit standin_exit(void)
{
	unregister_reboot_notifier(&end);
	debugfs_remove_recursive(debug);
	platform_device_unregister(board);
	platform_driver_unregister(&matrix_driver);
}

module_init(standin_init);
module_exit(standin_exit);
MODULE_DESCRIPTION("Stand-in for the Sense HAT's LED matrix");
MODULE_LICENSE("GPL");
